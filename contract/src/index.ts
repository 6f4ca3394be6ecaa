// The wire, once: every schema, route and error that Lorekeep answers with. Types, validation, OpenAPI and clients come from here.
export * from './accounts.ts';
export * from './datasets.ts';
export * from './errors.ts';
export * from './keys.ts';
export * from './openapi.ts';
export * from './route.ts';
export * from './routes.ts';
export * from './service.ts';
