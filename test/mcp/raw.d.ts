declare module "*.tiktoken?raw" {
  const text: string;
  export default text;
}
