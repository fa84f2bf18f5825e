declare module "*.tiktoken?raw" {
  const text: string;
  export default text;
}

declare module "*.toml?raw" {
  const text: string;
  export default text;
}

declare module "*.md?raw" {
  const text: string;
  export default text;
}
