/**
 * Ids of the rules in docs/spec, and the citations in a text: rule ids, and pages by their names.
 *
 * An id is an area in capitals, a dash and a number. External standards of the same form are listed here.
 */

const standards: ReadonlySet<string> = new Set(["AES", "BIP", "EIP", "ERC", "P", "SHA", "SLIP", "SSH", "TRC", "UTF"])

const all = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].flatMap(([, found]) => found === undefined ? [] : [found])

/** The ids that a page defines, in order. */
export const definedIds = (page: string): ReadonlyArray<string> => all(page, /\*\*\[([A-Z]+-\d+)\]\*\*/g)

/** The ids that a text cites. A character class in a pattern, such as `[A-Z0-9]`, is not one. */
export const citedIds = (text: string): ReadonlyArray<string> =>
  all(text, /(?<![\w-])([A-Z]+-\d+)(?![\w-])/g).filter((id) => !standards.has(id.slice(0, id.indexOf("-"))))

/** The same, with the rules between the ends of `PRICE-13 to PRICE-15`. */
export const coveredIds = (text: string): ReadonlyArray<string> => [
  ...citedIds(text),
  ...[...text.matchAll(/([A-Z]+)-(\d+) to \1-(\d+)/g)].flatMap(([, area, first, last]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `${area}-${Number(first) + index}`)
  )
]

/** The phrases of tests' names that the last cells of a page's tables quote; `…` stands for anything. */
export const quotedNames = (page: string): ReadonlyArray<string> =>
  all(page, /^\|.*\|([^|]*)\|$/gm).flatMap((cell) => all(cell, /"([^"]+)"/g)).flatMap((name) =>
    name.split("…").map((part) => part.trim()).filter((part) => part !== "")
  )

/**
 * The names of the Markdown pages that a text mentions, and its citations of sections of documents that are not in the
 * tree.
 */
export const mentionedPages = (
  text: string
): { readonly names: ReadonlyArray<string>; readonly outside: ReadonlyArray<string> } => ({
  names: all(text, /(?<![\w-])([\w-]+\.md)\b/g),
  outside: all(text, /(\bspec[/ ]\d|(?<!RFC \d+ )\u00a7 ?\d[\d.]*|\.\.\/shared\b)/g)
})
