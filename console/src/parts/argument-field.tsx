// Form field for a tuning argument. Default, bounds and description come from the contract.
import { finetuneArgs } from '@lorekeep/client';
import { TextField } from './fields.tsx';

type NumberArg = {
  [Name in keyof typeof finetuneArgs]: (typeof finetuneArgs)[Name]['takes'] extends { from: number } ? Name : never;
}[keyof typeof finetuneArgs];

interface ArgumentProps {
  argument: NumberArg;
  name: string;
  /** The typed text; empty for the default. */
  value: string;
  onChange(value: string): void;
}

export function ArgumentField({ argument, name, value, onChange }: ArgumentProps) {
  const { takes, allowed, without, does } = finetuneArgs[argument];
  const isOutside = value.trim() !== '' && (Number(value) < takes.from || Number(value) > takes.to);
  return (
    <TextField
      name={name}
      value={value}
      onChange={onChange}
      placeholder={without}
      inputMode={takes.kind === 'whole' ? 'numeric' : 'decimal'}
      problem={isOutside ? `It has to be ${allowed}.` : undefined}
      hint={does}
    />
  );
}
