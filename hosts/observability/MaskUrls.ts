/**
 * Takes what may be secret out of URLs in a text that is about to be logged: user, password, path, query and fragment.
 * Scheme, host and port stay. The last of several guards: nothing of ours logs such a URL, but a library's error might.
 */
const url = /\b(?!file:)([a-z][a-z0-9+.-]*):\/\/([^\s"'`<>\\]+)/giu

/** With an `@` anywhere nobody can say for certain which part is the host. */
const shown = (scheme: string, rest: string): string => {
  if (rest.includes("@")) return `${scheme}://…`
  const [host = ""] = rest.split(/[/?#]/u)
  const beyond = rest.slice(host.length)
  return beyond === "" || /^\/?[),.;:\]}]*$/u.test(beyond) ? `${scheme}://${rest}` : `${scheme}://${host}/…`
}

export const maskUrls = (text: string): string =>
  text.includes("://") ? text.replaceAll(url, (_, scheme: string, rest: string) => shown(scheme, rest)) : text
