// A finding of lorekeep doctor: the part, its state, and the remedy. `examine` of the server prints findings too.
export interface Finding {
  name: string;
  state: 'ok' | 'problem' | 'unknown';
  about: string;
  /** Remedy, as a sentence. */
  remedy?: string;
  /** Set for the port: the local address of Lorekeep, according to the settings. */
  url?: string;
}
