// Form fields: native elements with label, hint and error message.
import { type ChangeEvent, type DragEvent, type ReactNode, useId, useState } from 'react';

interface FieldProps {
  name: string;
  hint?: ReactNode;
  children(attributes: { id: string; 'aria-describedby'?: string }): ReactNode;
}

export function Field({ name, hint, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="field">
      <label className="name" htmlFor={id}>
        {name}
      </label>
      {children({ id, ...(hint !== undefined && { 'aria-describedby': hintId }) })}
      {hint !== undefined && (
        <span className="hint" id={hintId}>
          {hint}
        </span>
      )}
    </div>
  );
}

interface TextProps {
  name: string;
  value: string;
  onChange(value: string): void;
  hint?: ReactNode;
  type?: string;
  placeholder?: string;
  required?: boolean;
  autoComplete?: string;
  minLength?: number;
  inputMode?: 'numeric' | 'decimal';
  /** Error of the value, which blocks the form. */
  problem?: string | undefined;
  onBlur?(): void;
}

/** Pattern of valid input, checked by the browser before the form is sent. */
const inputPatterns = {
  numeric: { pattern: '\\s*\\d*\\s*', title: 'A whole number' },
  decimal: { pattern: '\\s*\\d*\\.?\\d*(e-?\\d+)?\\s*', title: 'A number, such as 0.0003' },
};

export function TextField({ name, hint, value, onChange, type, problem, ...rest }: TextProps) {
  const [isVisible, setIsVisible] = useState(false);
  const secret = type === 'password';
  return (
    <Field name={name} hint={hint}>
      {(attributes) => {
        const field = (
          <input
            {...attributes}
            {...rest}
            {...(rest.inputMode && inputPatterns[rest.inputMode])}
            ref={(input) => input?.setCustomValidity(problem ?? '')}
            type={secret && isVisible ? 'text' : type}
            dir={secret ? 'ltr' : 'auto'}
            {...(secret && { spellCheck: false, autoCapitalize: 'none' })}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        );
        if (!secret) return field;
        return (
          <span className="with-button">
            {field}
            <button type="button" aria-pressed={isVisible} onClick={() => setIsVisible(!isVisible)}>
              Show<span className="seen-only"> what is typed: {name}</span>
            </button>
          </span>
        );
      }}
    </Field>
  );
}

interface AreaProps {
  name: string;
  value: string;
  onChange(value: string): void;
  hint?: ReactNode;
}

/** Multi-line text field. */
export function TextArea({ name, hint, value, onChange }: AreaProps) {
  return (
    <Field name={name} hint={hint}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={3}
          dir="auto"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface ChoiceProps {
  name: string;
  value: string;
  onChange(value: string): void;
  of: { value: string; name: string }[];
  hint?: ReactNode;
}

export function Choice({ name, value, onChange, of, hint }: ChoiceProps) {
  return (
    <Field name={name} hint={hint}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => onChange(event.target.value)}>
          {of.map((one) => (
            <option key={one.value} value={one.value}>
              {one.name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckProps {
  checked: boolean;
  onChange(checked: boolean): void;
  children: ReactNode;
}

export function Check({ checked, onChange, children }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{children}</span>
    </label>
  );
}

interface DropProps {
  title: string;
  hint: string;
  accept?: string;
  multiple?: boolean;
  busy?: boolean;
  onFiles(files: File[]): void;
}

/** Drop zone for files, made of the browser's own file input. */
export function Drop({ title, hint, accept, multiple = false, busy = false, onFiles }: DropProps) {
  const [over, setOver] = useState(false);
  const chosen = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.target.files ?? [])];
    // Allows choosing the same file again.
    event.target.value = '';
    if (files.length > 0) onFiles(files);
  };
  const hover = (is: boolean) => (event: DragEvent) => {
    if (event.dataTransfer.types.includes('Files')) setOver(is);
  };
  return (
    <label
      className={over ? 'drop over' : 'drop'}
      onDragEnter={hover(true)}
      onDragLeave={hover(false)}
      onDrop={hover(false)}
    >
      <strong>{busy ? 'Sending …' : title}</strong>
      <span className="hint">{hint}</span>
      <input type="file" accept={accept} multiple={multiple} disabled={busy} onChange={chosen} />
    </label>
  );
}
