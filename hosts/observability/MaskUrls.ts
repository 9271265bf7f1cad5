/**
 * Removes possible secrets from URLs in a text that is about to be logged: user, password, path, query and fragment.
 * Keeps scheme, host and port. The last of several guards: our code logs no such URL, but a library's error might.
 */
const url = /\b(?!file:)([a-z][a-z0-9+.-]*):\/\/([^\s"'`<>\\]+)/giu

/** With an `@` anywhere, it is not certain which part is the host. */
const shown = (scheme: string, rest: string): string => {
  if (rest.includes("@")) return `${scheme}://…`
  const [host = ""] = rest.split(/[/?#]/u)
  const beyond = rest.slice(host.length)
  return beyond === "" || /^\/?[),.;:\]}]*$/u.test(beyond) ? `${scheme}://${rest}` : `${scheme}://${host}/…`
}

export const maskUrls = (text: string): string =>
  text.includes("://") ? text.replaceAll(url, (_, scheme: string, rest: string) => shown(scheme, rest)) : text
