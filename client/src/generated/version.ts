// Made from contract/ by `./lorekeep check --write`; not edited by hand.
export const version = "0.1.0";
