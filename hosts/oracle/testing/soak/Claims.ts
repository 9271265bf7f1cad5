/** Claims of a soak run, each with its allowed answers: the truth of `FaultyNode`, or that it cannot be read now. */
import { Schema } from "effect"

export interface Claim {
  readonly path: string
  readonly body: string
  /** True for an answer that tells the truth. A 503 is judged elsewhere. */
  readonly isTrue: (status: number, text: string) => boolean
}

const DEPOSITS = "/attestations/depository-deposits/v1"

const Answer = Schema.fromJsonString(Schema.Struct({
  messages: Schema.Array(Schema.Struct({
    data: Schema.Struct({ chainId: Schema.String, transactionId: Schema.String }),
    result: Schema.Struct({ amount: Schema.String, depositId: Schema.String })
  })),
  execution: Schema.optionalKey(
    Schema.Struct({
      actions: Schema.Array(Schema.String),
      signatures: Schema.Array(Schema.Struct({ oracleSigner: Schema.String, signature: Schema.String }))
    })
  )
}))
const decode = Schema.decodeUnknownSync(Answer)

const idOf = (kind: string, number: number): string => `0x${kind}${number.toString(16).padStart(62, "0")}`
const deposits = (transactionId: string): Pick<Claim, "body" | "path"> => ({
  path: DEPOSITS,
  body: JSON.stringify({ chainId: "alpha", transactionId })
})

/** The last word of a mint is its amount. */
const attests = (id: string, number: number, signer: string) => (status: number, text: string): boolean => {
  if (status !== 200) return false
  const { execution, messages: [message, ...others] } = decode(text)
  const amount = (number & 0xff_ff_ff) + 1
  return others.length === 0 && message?.data.transactionId === id && message.result.amount === `${amount}` &&
    execution?.actions.length === 1 && BigInt(`0x${execution.actions[0]?.slice(-64)}`) === BigInt(amount) &&
    execution.signatures.every((each) => each.oracleSigner === signer && each.signature.length === 132)
}

const refuses = (reason: string) => (status: number, text: string): boolean =>
  status === 400 && text.includes(`"reason":"${reason}"`)
const refused: ReadonlyArray<readonly [kind: string, reason: string]> = [["01", "reverted"], ["02", "not-found"], [
  "03",
  "not-final"
]]

/**
 * The claim with this number. Of ten, six are deposits that were never requested before, one is requested again and
 * again, and three are not deposits.
 */
export const claimOf = (number: number, signer: string): Claim => {
  const turn = number % 10
  if (turn < 6) return { ...deposits(idOf("00", number)), isTrue: attests(idOf("00", number), number, signer) }
  if (turn === 6) return { ...deposits(idOf("00", 7)), isTrue: attests(idOf("00", 7), 7, signer) }
  if (turn === 7) {
    return {
      ...deposits(idOf("04", number)),
      isTrue: (status, text) =>
        status === 200 && decode(text).messages.length === 0 && decode(text).execution === undefined
    }
  }
  if (turn === 8) {
    return {
      path: "/attestations/solver-fills/v1",
      body: "{\"order\":{},\"inputs\":[]}",
      isTrue: (status) => status === 400
    }
  }
  const [kind, reason] = refused[Math.floor(number / 10) % refused.length] ?? ["02", "not-found"]
  return { ...deposits(idOf(kind, number)), isTrue: refuses(reason) }
}
