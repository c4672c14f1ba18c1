// Encodes bytes as lowercase hex.

export const hexByte = (byte: number): string => byte.toString(16).padStart(2, "0")

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, hexByte).join("")
