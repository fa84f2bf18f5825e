/** Stands in for `mimetext`, which `Agent` loads to send mail: the curator sends none, and its 150 KB need Node's `path`. */
export function createMimeMessage(): never {
  throw new Error("The curator sends no mail");
}
