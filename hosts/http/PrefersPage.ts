/**
 * Whether an Accept header asks for a page: it names text/html, with no less weight than application/json. Browsers do.
 * Programs name JSON, or any type.
 */
const weightOf = (accept: string, type: string): number => {
  for (const range of accept.split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    if (name !== type) continue
    const weight = Number(parameters.find((each) => each.startsWith("q="))?.slice(2) ?? "1")
    return weight >= 0 && weight <= 1 ? weight : 1
  }
  return 0
}

export const prefersPage = (accept: string | undefined): boolean => {
  const html = weightOf(accept ?? "", "text/html")
  return html > 0 && html >= weightOf(accept ?? "", "application/json")
}
