/** `keys link` and `unlink`: a wallet signs, with WALLET_PRIVATE_KEY here, or wherever its owner keeps the key. */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { createInterface } from "node:readline"
import { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { EthereumAddress } from "../../../src/domain/chain/Address.ts"
import { ProgramFailed } from "../../cli/Program.ts"
import { readText } from "../../configuration/Variables.ts"
import { ChallengeAnswer, LinkedKey } from "../endpoints/wallets/WalletsApi.ts"
import { done, say } from "./Output.ts"
import { call } from "./Service.ts"

/** 0x and hex digits. */
const isHex = (text: string): text is `0x${string}` => /^0x[0-9a-f]*$/iu.test(text)

const firstLine = Effect.promise(async () => {
  for await (const line of createInterface({ input: process.stdin })) return line.trim()
  return ""
})

/** Signed with the key in the environment, or entered on stdin. */
const signatureOf = Effect.fnUntraced(function*(message: string) {
  const key = yield* readText("WALLET_PRIVATE_KEY")
  if (key === undefined) {
    yield* say(
      `\nsign this message with the wallet (personal_sign), within five minutes:\n\n${message}\n\nand paste the signature (0x…):`
    )
    const signature = yield* firstLine
    return isHex(signature)
      ? signature
      : yield* new ProgramFailed({ message: "that is no signature: 0x and hex digits", reason: "usage" })
  }
  return yield* Effect.tryPromise({
    try: async () => {
      if (!isHex(key)) throw new Error("no hex")
      const { privateKeyToAccount } = await import("viem/accounts")
      return await privateKeyToAccount(key).signMessage({ message })
    },
    // SECURITY: a library's message about a key could quote it.
    catch: () =>
      new ProgramFailed({
        message: "WALLET_PRIVATE_KEY is no private key: 0x and 64 hex digits",
        reason: "not-configured"
      })
  })
})

export const link = Command.make(
  "link",
  {
    wallet: Argument.String("wallet").pipe(
      Argument.withDescription("an account or a contract of the settlement chain"),
      Argument.withSchema(EthereumAddress)
    )
  },
  Effect.fnUntraced(function*({ wallet }) {
    const { message } = yield* call(ChallengeAnswer, {
      method: "POST",
      path: "/api-keys/wallets/challenge",
      right: "key",
      body: { wallet }
    })
    const signature = yield* signatureOf(message)
    const linked = yield* call(LinkedKey, {
      method: "POST",
      path: "/api-keys/wallets",
      right: "key",
      body: { message, signature }
    })
    yield* done(linked, `${linked.id} (${linked.label}) spends the app balance of ${linked.wallet}`)
  })
).pipe(
  Command.withDescription("Link a wallet to the key in API_KEY: its owner signs that the key may spend its app balance")
)

const Unlinked = Schema.Struct({ unlinked: Schema.Array(Schema.String) })

const bySignature = Effect.fnUntraced(function*(wallet: string, only: string | undefined) {
  const body = { wallet, action: "unlink", ...(only === undefined ? {} : { apiKeyId: only }) }
  const { message } = yield* call(ChallengeAnswer, {
    method: "POST",
    path: "/api-keys/wallets/challenge",
    right: "nobody",
    body
  })
  const signature = yield* signatureOf(message)
  const { unlinked } = yield* call(Unlinked, {
    method: "POST",
    path: "/api-keys/wallets/unlink",
    right: "nobody",
    body: { message, signature }
  })
  yield* done(
    { unlinked },
    unlinked.length === 0 ? "no such key had this wallet" : `no longer linked: ${unlinked.join(", ")}`
  )
})

export const unlink = Command.make(
  "unlink",
  {
    wallet: Flag.String("wallet").pipe(
      Flag.withDescription("the wallet takes itself away, by its signature and without a key"),
      Flag.withSchema(EthereumAddress),
      Flag.optional
    ),
    key: Flag.String("key").pipe(
      Flag.withMetavar("id"),
      Flag.withDescription("with --wallet: from this one key instead of from all"),
      Flag.withSchema(ApiKeyId),
      Flag.optional
    )
  },
  Effect.fnUntraced(function*({ key, wallet }) {
    if (Option.isSome(wallet)) return yield* bySignature(wallet.value, Option.getOrUndefined(key))
    if (Option.isSome(key)) {
      return yield* new ProgramFailed({
        message: "--key goes with --wallet; without both the key in API_KEY is unlinked",
        reason: "usage"
      })
    }
    const left = yield* call(LinkedKey, { method: "DELETE", path: "/api-keys/wallets", right: "key" })
    yield* done(left, `${left.id} (${left.label}) is linked to no wallet`)
  })
).pipe(
  Command.withDescription(
    "Take its wallet from the key in API_KEY, or with --wallet, from what the wallet's owner says"
  )
)
