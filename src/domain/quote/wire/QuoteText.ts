/**
 * A quote as JSON, made once: the answer and the stored record are the same text. It is what the schema's encoder makes
 * of a quote, without walking through the schema; a property compares the two.
 */
import type { Quote } from "./Quote.ts"

const texts = new WeakMap<Quote, string>()

/** Every value of a quote is JSON already: amounts are decimal strings. */
export const quoteText = (quote: Quote): string => {
  const known = texts.get(quote)
  if (known !== undefined) return known
  const text = JSON.stringify(quote)
  texts.set(quote, text)
  return text
}
