interface ActProps {
  action: string;
  label: string;
  /** The label with what it is done to, where a page has several. */
  name?: string | undefined;
}

/** A form that is one button. */
export const Act = ({ action, label, name }: ActProps) => (
  <form method="post" action={action}>
    <button type="submit" aria-label={name}>
      {label}
    </button>
  </form>
);
