// ./lorekeep config: the settings in force, each with where it came from.
import { effectiveConfig, settingsHelp } from '../config/describe.ts';
import type { Command } from './usage.ts';

export const configCommand: Command = {
  help: () =>
    `./lorekeep config [--NAME VALUE ...]\n\nPrints the settings in force and where each came from. The settings are:\n\n${settingsHelp()}`,
  async run(loaded) {
    process.stdout.write(`${effectiveConfig(loaded)}\n`);
    return 0;
  },
};
