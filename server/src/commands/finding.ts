// A finding of ./lorekeep doctor: the part, its state, and the remedy.
export interface Finding {
  name: string;
  state: 'well' | 'trouble' | 'unknown';
  about: string;
  mend?: string;
  /** Set for the port: the address that Lorekeep has here by the settings in force. */
  url?: string;
}
