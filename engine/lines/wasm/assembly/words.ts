const TRUE: u32 = 0x65757274
const FALS: u32 = 0x736c6166
const NULL: u32 = 0x6c6c756e
const E: u8 = 0x65

/** Length of the JSON word at a place: true, false or null; 0: none. */
export function wordSize(at: usize): usize {
  const four = load<u32>(at)
  if (four === TRUE || four === NULL) return 4
  return four === FALS && load<u8>(at + 4) === E ? 5 : 0
}

export function isNull(at: usize): bool {
  return load<u32>(at) === NULL
}
