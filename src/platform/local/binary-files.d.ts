declare module "*.bin" {
  const file: ArrayBuffer;
  export default file;
}
