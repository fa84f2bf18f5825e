declare module "*/dot-kernel.wasm" {
  const kernel: WebAssembly.Module;
  export default kernel;
}
