// Packs files into a tar archive, so that a folder is sent in one request.

const BLOCK = 512;
const NAME_BYTES = 100;

/**
 * Return files as a tar archive. They are read when the archive is sent, not before.
 * @param {File[]} files
 * @returns {Blob}
 */
export function packFiles(files) {
  const parts = files.flatMap((file) => [header(pathOf(file), file.size), file, new Uint8Array(-file.size & (BLOCK - 1))]);
  return new Blob([...parts, new Uint8Array(2 * BLOCK)]);
}

/** @param {File & {path?: string}} file */
function pathOf(file) {
  return file.webkitRelativePath || file.path || file.name;
}

/**
 * Return the header of a member. Of a long path, only its end is kept.
 * @param {string} path
 * @param {number} size
 */
function header(path, size) {
  const block = new Uint8Array(BLOCK);
  const encoder = new TextEncoder();
  const write = (text, offset) => block.set(encoder.encode(text), offset);
  const octal = (value, digits) => value.toString(8).padStart(digits, "0");
  block.set(encoder.encode(path).slice(-NAME_BYTES), 0);
  write("0000644\0" + "0000000\0".repeat(2) + `${octal(size, 11)}\0` + "00000000000\0" + " ".repeat(8) + "0", NAME_BYTES);
  write("ustar\x0000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  write(`${octal(sum, 6)}\0 `, 148);
  return block;
}
