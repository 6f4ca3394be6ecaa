// The peer of bench/api: a bare Fastify route that answers a small JSON object from memory, with a schema, and does nothing else.
import Fastify from 'fastify';

const app = Fastify();
const item = {
  id: 1,
  account_id: 1,
  name: 'item',
  prefix: 'lk_12345',
  scopes: ['admin'],
  status: 'active',
  created_at: new Date().toISOString(),
  expires_at: null,
};
const schema = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    account_id: { type: 'integer' },
    name: { type: 'string' },
    prefix: { type: 'string' },
    scopes: { type: 'array', items: { type: 'string' } },
    status: { type: 'string' },
    created_at: { type: 'string' },
    expires_at: { type: ['string', 'null'] },
  },
};
app.get('/item/:id', { schema: { response: { 200: schema } } }, async () => item);
process.stdout.write(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.once('SIGTERM', () => void app.close());
