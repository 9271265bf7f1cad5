/** The spellings of a path that a stranger may send: equivalent ones, and similar ones that are not the path. */
import { Effect } from "effect"
import { request } from "node:http"

/** A path that matches a pattern. */
export const pathOfPattern = (pattern: string): string => pattern.replaceAll(/:\w+/gu, "x")

const coded = (path: string, from: number, to: number): string =>
  Array.from(
    path,
    (letter, index) =>
      index >= from && index < to && letter !== "/" ? `%${(letter.codePointAt(0) ?? 0).toString(16)}` : letter
  ).join("")

/** Upper case, except in parameters. */
const upper = (pattern: string): string =>
  pattern.split("/").map((segment) => segment.startsWith(":") ? "x" : segment.toUpperCase()).join("/")

export const sameAs = (pattern: string): ReadonlyArray<string> => {
  const path = pathOfPattern(pattern)
  return [
    path,
    `${path}/`,
    `${path}//`,
    `/${path}`,
    `//${path}`,
    path.replaceAll("/", "///"),
    `/.${path}`,
    `/a/..${path}`,
    `/../..${path}`,
    `${path}/.`,
    `${path}/b/..`,
    `/%2e${path}`,
    `/a/%2E%2e${path}`,
    coded(path, 0, 2),
    coded(path, 0, 99),
    upper(pattern),
    `${upper(pattern)}/`,
    `${path}?`,
    `${path}??`,
    `${path}?a=/../b;c`,
    `${path}/?%2e%2e/`,
    `${path}#there`,
    `${path}?#there`,
    `http://elsewhere.example${path}`
  ]
}

/** For a pattern that does not end with a parameter. */
export const unlike = (pattern: string): ReadonlyArray<string> => {
  const path = pathOfPattern(pattern)
  return [
    `/%2f${path.slice(1)}`,
    `/%2F%2e%2e%2F${path.slice(1)}`,
    `${path}%2F`,
    `${path};a=1`,
    `${path};`,
    `${path}%3Ba`,
    `${path}\\`,
    `/\\${path}`,
    `${path}%`,
    `${path}%zz`,
    `${path}%00`,
    `${path}%20`,
    `${path}%3F`,
    `${path}%23`,
    `${path}%C3%A9`,
    coded(path, 1, 2).replace("%", "%25"),
    `/y${path}/..;`
  ]
}

export interface Asked {
  readonly url: string
  readonly method: string
  /** As it is sent. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Sends the target as it is, without a client that would normalise it. */
export const askRaw = ({ body, headers = {}, method, target, url }: Asked) =>
  Effect.promise(() =>
    new Promise<
      { readonly status: number; readonly headers: NodeJS.Dict<string | Array<string>>; readonly text: string }
    >((resolve, reject) => {
      const { hostname, port } = new URL(url)
      const sent = request({ hostname, port, method, path: target, headers, agent: false }, (answer) => {
        let text = ""
        answer.setEncoding("utf8").on("data", (part: string) => {
          text += part
        }).on("end", () => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
        })
      })
      sent.on("error", reject).end(body)
    })
  )
