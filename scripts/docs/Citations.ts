/**
 * Ids of the rules in docs/spec, and what a text cites: ids, and pages by their names.
 *
 * An id is an area in capitals, a dash and a number. What looks the same and is somebody else's standard is named here.
 */

const standards: ReadonlySet<string> = new Set(["AES", "BIP", "EIP", "ERC", "P", "SHA", "SLIP", "SSH", "TRC", "UTF"])

const all = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  [...text.matchAll(pattern)].flatMap(([, found]) => found === undefined ? [] : [found])

/** The ids that a page defines, in their order. */
export const definedIds = (page: string): ReadonlyArray<string> => all(page, /\*\*\[([A-Z]+-\d+)\]\*\*/g)

/** The ids that a text names. A class of a pattern, as in `[A-Z0-9]`, is none. */
export const citedIds = (text: string): ReadonlyArray<string> =>
  all(text, /(?<![\w-])([A-Z]+-\d+)(?![\w-])/g).filter((id) => !standards.has(id.slice(0, id.indexOf("-"))))

/**
 * The names of the Markdown pages that a text mentions, and what it cites by the section of a page that has no place in
 * the tree.
 */
export const mentionedPages = (
  text: string
): { readonly names: ReadonlyArray<string>; readonly outside: ReadonlyArray<string> } => ({
  names: all(text, /(?<![\w-])([\w-]+\.md)\b/g),
  outside: all(text, /(\bspec[/ ]\d|(?<!RFC \d+ )\u00a7 ?\d[\d.]*|\.\.\/shared\b)/g)
})
