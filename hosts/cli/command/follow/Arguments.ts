/** The arguments of `causeway follow`: a request, by its id or by the link of its page. */
import { Result, Schema } from "effect"
import { Argument } from "effect/cli"
import type { Command } from "effect/cli"
import { RequestId } from "../../../../src/domain/transfer/RequestId.ts"
import { wrongUsage } from "../../Program.ts"
import type { ProgramFailed } from "../../Program.ts"

/** What is followed. */
export interface Asked {
  readonly id: RequestId
  /** The service of the link, without a slash at its end. Undefined for an id. */
  readonly url: string | undefined
}

const decodeId = Schema.decodeUnknownResult(RequestId)

/** The argument may be the link of a request's page. Then that page's service is asked. */
const linkOf = (word: string): readonly [id: string, url: string | undefined] => {
  const [, url, id] = /^(https?:\/\/[^?#]+)\/requests\/([^/?#]+)$/iu.exec(word) ?? []
  return id === undefined ? [word, undefined] : [id, url?.replace(/\/+$/u, "")]
}

/** Of the command. */
export const flags = {
  request: Argument.String("request").pipe(
    Argument.withDescription("its id, 0x and 64 hex digits, or the link of its page")
  )
} as const

/** Fails when it is no id. */
export const parse = (asked: Command.Command.Config.Infer<typeof flags>): Result.Result<Asked, ProgramFailed> => {
  const [text, url] = linkOf(asked.request)
  const id = decodeId(text.toLowerCase())
  return Result.isFailure(id)
    ? Result.fail(wrongUsage("the id of a request is 0x and 64 hex digits"))
    : Result.succeed({ id: id.success, url })
}
