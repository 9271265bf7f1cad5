/**
 * Finds where a text stops being JSON: line and column, both from 1. The engine's own message gives a position for some
 * faults only, and quotes the text for others. SECURITY: nothing of the text is quoted.
 */

/** True when no continuation makes it JSON. False for a text that only ends too early. */
const isWrong = (text: string): boolean => {
  try {
    JSON.parse(text)
    return false
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : ""
    const position = /position (\d+)/u.exec(message)?.[1]
    return position === undefined ? !message.includes("end of JSON input") : Number(position) < text.length
  }
}

/**
 * The position in a text that is not JSON: the first character after which no continuation makes it JSON, or its end.
 */
export const faultOf = (text: string): string => {
  let [good, bad] = [0, text.length + 1]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (middle <= text.length && isWrong(text.slice(0, middle))) bad = middle
    else good = middle
  }
  const before = text.slice(0, bad > text.length ? text.length : bad - 1).split("\n")
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`
}
