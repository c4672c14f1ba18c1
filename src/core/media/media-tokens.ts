// Computes the most tokens that a picture or document adds to a request [B1], from the formulas that providers publish. The run's model may
// change while a picture is in its conversation, so the most expensive formula is used:
//
// - Anthropic ("Vision"): width × height / 750, after the picture is scaled down; large ones count at most about 4,784 tokens.
// - OpenAI ("Images and vision"): scaled into 2,048 × 2,048, then to a shorter side of 768, then 170 for each tile of 512 and 85 more.
// - Gemini ("Understand and count tokens"): 258 up to 384 × 384, otherwise 258 for each tile of 768.
// - A page of a PDF is a picture and its text: Anthropic ("PDF support") names 1,500 to 3,000 tokens of text for each page.

import type { Media } from "./media.ts"

/** The largest figure of any of them for one picture. */
const MOST_TOKENS = 4_784
const PAGE_TOKENS = 4_600
/** A packed PDF hides its pages: printed text and scans alike take more bytes than this for each page. */
const PAGE_BYTES = 8_192

/** `size`: bytes of the body. */
export function tokensOf({ type, width, height, pages }: Media, size: number): number {
  if (type === "application/pdf") return PAGE_TOKENS * (pages ?? Math.max(1, Math.ceil(size / PAGE_BYTES)))
  if (width === undefined || height === undefined) return MOST_TOKENS
  return Math.min(MOST_TOKENS, Math.max(Math.ceil((width * height) / 750), tilesOf(width, height), squaresOf(width, height)))
}

function tilesOf(width: number, height: number): number {
  const fit = Math.min(1, 2_048 / Math.max(width, height))
  const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit))
  // The library of OpenAI rounds up; so does this.
  return 85 + 170 * Math.ceil(Math.ceil(width * scale) / 512) * Math.ceil(Math.ceil(height * scale) / 512)
}

const squaresOf = (width: number, height: number): number =>
  width <= 384 && height <= 384 ? 258 : 258 * Math.ceil(width / 768) * Math.ceil(height / 768)
