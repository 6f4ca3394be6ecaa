// The version of the product: that of the checkout.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from './config/settings.ts';

export const version: string = (JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string })
  .version;
