// ./lorekeep config: prints the settings in force, each with its source.
import { effectiveConfig, effectiveSettings, settingsHelp } from '../config/describe.ts';
import { type Command, print, refuseArguments } from './command.ts';

export const configCommand: Command = {
  help: () =>
    `./lorekeep config [--json] [--NAME VALUE ...]\n\nPrints the settings in force and where each came from. The settings are:\n\n${settingsHelp()}`,
  async run(loaded, words) {
    refuseArguments(
      'config',
      words.filter((word) => word !== '--json'),
    );
    const json = words.includes('--json');
    print(json ? JSON.stringify(effectiveSettings(loaded), null, 2) : effectiveConfig(loaded));
  },
};
