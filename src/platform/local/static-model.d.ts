declare module "*/static-model.bin" {
  const model: ArrayBuffer;
  export default model;
}
