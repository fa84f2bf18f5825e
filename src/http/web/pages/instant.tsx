export const Instant = ({ at }: { at: number }) => {
  const iso = new Date(at).toISOString();
  return <time datetime={iso}>{`${iso.slice(0, 16).replace("T", " ")} UTC`}</time>;
};
