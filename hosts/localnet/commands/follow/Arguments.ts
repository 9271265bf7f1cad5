/** The arguments of `npm run follow`: a request, and the service to ask. */
import { Result, Schema } from "effect"
import { Argument } from "effect/cli"
import type { Command } from "effect/cli"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { maybe, USAGE } from "../../../cli/Program.ts"
import { LocalnetError } from "../../run/LocalnetError.ts"

export const usage = "npm run follow -- <request id> [--url http://127.0.0.1:3001]"

const fail = (message: string) =>
  Result.fail(new LocalnetError({ message: `${message}\nusage: ${usage}`, reason: USAGE }))

export interface Asked {
  readonly id: RequestId
  /** Undefined: the local network's. Without a trailing slash. */
  readonly url: string | undefined
}

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)

const decodeId = Schema.decodeUnknownResult(RequestId)

/** The argument may be the link of a request's page. Then that page's service is asked. */
const linkOf = (word: string): readonly [id: string, url: string | undefined] => {
  const [, url, id] = /^(https?:\/\/[^?#]+)\/requests\/([^/?#]+)$/iu.exec(word) ?? []
  return id === undefined ? [word, undefined] : [id, url]
}

export const flags = {
  request: Argument.String("request id").pipe(
    Argument.withDescription("0x and 64 hex digits, or the link of its page")
  ),
  url: maybe("url", "a service; the local network's unless given")
} as const

export const parse = (asked: Command.Command.Config.Infer<typeof flags>): Result.Result<Asked, LocalnetError> =>
  Result.gen(function*() {
    const [text, linked] = linkOf(asked.request)
    const id = decodeId(text.toLowerCase())
    if (Result.isFailure(id)) return yield* fail("the id of a request is 0x and 64 hex digits")
    const url = asked.url ?? linked
    if (url !== undefined && !isWeb(url)) return yield* fail(`--url ${url} is no web address`)
    return { id: id.success, url: url?.replace(/\/+$/u, "") }
  })
