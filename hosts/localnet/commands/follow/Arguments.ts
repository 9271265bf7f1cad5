/** The arguments of `npm run follow`: a request, and where it is asked about. */
import { Result, Schema } from "effect"
import { parseArgs } from "node:util"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"

export const usage = "npm run follow -- <request id> [--url http://127.0.0.1:3001]"

const fail = (message: string) => Result.fail(new LocalnetError({ message: `${message}\nusage: ${usage}` }))

export interface Asked {
  readonly id: RequestId
  /** Undefined: the local network's. Without a slash at its end. */
  readonly url: string | undefined
}

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/u.test(new URL(url).protocol)

const decodeId = Schema.decodeUnknownResult(RequestId)

/** An id may come as the link of its page, whose service is then the one that is asked. */
const linkOf = (word: string): readonly [id: string, url: string | undefined] => {
  const [, url, id] = /^(https?:\/\/[^?#]+)\/requests\/([^/?#]+)$/iu.exec(word) ?? []
  return id === undefined ? [word, undefined] : [id, url]
}

export const parse = (words: ReadonlyArray<string>): Result.Result<Asked, LocalnetError> =>
  Result.gen(function*() {
    const { positionals, values } = yield* Result.try({
      try: () => parseArgs({ args: [...words], allowPositionals: true, options: { url: { type: "string" } } }),
      catch: (cause) => new LocalnetError({ message: `${reasonOf(cause)}\nusage: ${usage}` })
    })
    const [word, more] = positionals
    if (word === undefined || more !== undefined) return yield* fail("one request is to be named")
    const [text, linked] = linkOf(word)
    const id = decodeId(text.toLowerCase())
    if (Result.isFailure(id)) return yield* fail("the id of a request is 0x and 64 hex digits")
    const url = values.url ?? linked
    if (url !== undefined && !isWeb(url)) return yield* fail(`--url ${url} is no web address`)
    return { id: id.success, url: url?.replace(/\/+$/u, "") }
  })
