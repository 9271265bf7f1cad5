/**
 * A client on Solana as a stranger would write it: fetch for HTTP, kit for the chain, and of our code only the keys of
 * the local network. Answers have their own schemas.
 */
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  partiallySignTransaction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  compileTransaction
} from "@solana/kit"
import type { Address } from "@solana/kit"
import { base58 } from "@scure/base"
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { LocalKey } from "../../localnet/nodes/solana/node/LocalKey.ts"
import { solanaChainId } from "../../localnet/nodes/solana/SolanaChain.ts"
import { walletText } from "../../localnet/nodes/solana/SolanaKeys.ts"
import { postQuote } from "./Client.ts"
import { fetchOnce } from "./Get.ts"

const Amount = Schema.Struct({ amount: Schema.String })

export const SolanaQuote = Schema.Struct({
  steps: Schema.Array(Schema.Struct({
    id: Schema.String,
    kind: Schema.String,
    requestId: Schema.String,
    items: Schema.Array(Schema.Struct({
      data: Schema.Struct({
        instructions: Schema.Array(Schema.Struct({
          keys: Schema.Array(
            Schema.Struct({ pubkey: Schema.String, isSigner: Schema.Boolean, isWritable: Schema.Boolean })
          ),
          programId: Schema.String,
          data: Schema.String
        })),
        addressLookupTableAddresses: Schema.Array(Schema.String),
        feePayer: Schema.String
      }),
      check: Schema.Struct({ endpoint: Schema.String, method: Schema.Literal("GET") })
    }))
  })),
  fees: Schema.Record(Schema.String, Amount),
  details: Schema.Struct({
    currencyIn: Amount,
    currencyOut: Schema.Struct({ amount: Schema.String, minimumAmount: Schema.String })
  })
})
export type SolanaQuote = typeof SolanaQuote.Type

/** Where a transfer leaves and arrives: a chain's id there, a currency's address. */
interface Way {
  readonly user: string
  readonly recipient: string
  readonly from: readonly [chainId: number, currency: string]
  readonly to: readonly [chainId: number, currency: string]
}

const transfer = ({ from, recipient, to, user }: Way, amount: bigint, changes: object) => ({
  user,
  recipient,
  originChainId: from[0],
  destinationChainId: to[0],
  originCurrency: from[1],
  destinationCurrency: to[1],
  amount: `${amount}`,
  tradeType: "EXACT_INPUT",
  ...changes
})

/** A request from a currency on Solana to one of an EVM chain. */
export const fromSolana = (
  user: string,
  recipient: string,
  currency: string,
  to: string,
  chain: number,
  amount: bigint,
  changes: object = {}
) => transfer({ user, recipient, from: [solanaChainId, currency], to: [chain, to] }, amount, changes)

/** A request from a currency of an EVM chain to one on Solana. */
export const toSolana = (
  user: string,
  recipient: string,
  currency: string,
  to: string,
  chain: number,
  amount: bigint,
  changes: object = {}
) => transfer({ user, recipient, from: [chain, currency], to: [solanaChainId, to] }, amount, changes)

/** What the deposit step of a quote asks for. */
export const stepOf = ({ steps: [step] }: SolanaQuote): Data => step?.items[0]?.data ?? assert.fail("no deposit")

/** A quote of a Solana origin. */
export const quoteSolana = Effect.fnUntraced(
  function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = yield* postQuote(url, body, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
    return yield* Effect.orDie(Schema.decodeUnknownEffect(SolanaQuote)(answer.json()))
  }
)

type Data = SolanaQuote["steps"][number]["items"][number]["data"]
type Wired = Data["instructions"][number]

const roleOf = ({ isSigner, isWritable }: Wired["keys"][number]): AccountRole =>
  isSigner
    ? isWritable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER
    : isWritable
    ? AccountRole.WRITABLE
    : AccountRole.READONLY

const instructionOf = ({ data, keys, programId }: Wired) => ({
  programAddress: address(programId),
  accounts: keys.map((key) => ({ address: address(key.pubkey), role: roleOf(key) })),
  data: new Uint8Array(Buffer.from(data, "hex"))
})

/** The addresses of each table, after its 56 bytes of header. */
const tablesAt = async (
  rpc: ReturnType<typeof createSolanaRpc>,
  keys: ReadonlyArray<string>
): Promise<Record<Address, Array<Address>>> => {
  const tables: Record<Address, Array<Address>> = {}
  for (const key of keys) {
    const { value } = await rpc.getAccountInfo(address(key), { encoding: "base64" }).send()
    const data = Buffer.from(value?.data[0] ?? "", "base64")
    tables[address(key)] = Array.from(
      { length: Math.floor((data.length - 56) / 32) },
      (_, index) => address(base58.encode(new Uint8Array(data.subarray(56 + index * 32, 88 + index * 32))))
    )
  }
  return tables
}

/** What a transaction of version 1 may use. Without limits it may use nothing. */
const LIMITS = { computeUnitLimit: 1_400_000, loadedAccountsDataSizeLimit: 64 * 1024 * 1024 }

/** A step as a transaction with the current blockhash, without a signature. One of version 1 has no lookup tables. */
export const unsignedOf = (
  url: string,
  { addressLookupTableAddresses, feePayer, instructions }: Data,
  version: 0 | 1 = 0
) =>
  Effect.promise(async () => {
    const rpc = createSolanaRpc(url)
    const tables = await tablesAt(rpc, addressLookupTableAddresses)
    const { value: recent } = await rpc.getLatestBlockhash().send()
    const unsigned = version === 1
      ? compileTransaction(pipe(
        createTransactionMessage({ version: 1 }),
        (message) => setTransactionMessageFeePayer(address(feePayer), message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
        (message) => setTransactionMessageConfig(LIMITS, message),
        (message) => appendTransactionMessageInstructions(instructions.map(instructionOf), message)
      ))
      : compileTransaction(pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayer(address(feePayer), message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
        (message) => appendTransactionMessageInstructions(instructions.map(instructionOf), message),
        (message) => compressTransactionMessageUsingAddressLookupTables(message, tables)
      ))
    return partiallySignTransaction([], unsigned)
  })
export type SolanaTransaction = Effect.Success<ReturnType<typeof unsignedOf>>

/** With one more signature. */
export const signedBy = (key: LocalKey, transaction: SolanaTransaction): Effect.Effect<SolanaTransaction> =>
  Effect.promise(async () => {
    const signer = await createKeyPairSignerFromBytes(base58.decode(walletText(key)))
    return partiallySignTransaction([signer.keyPair], transaction)
  })

/** Sends a signed transaction and waits until it is confirmed. Returns its signature. */
export const sendSigned = (url: string, transaction: SolanaTransaction) =>
  Effect.promise(async () => {
    const rpc = createSolanaRpc(url)
    await rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: "base64" }).send()
    const signature = getSignatureFromTransaction(transaction)
    for (let looks = 0; looks < 500; looks += 1) {
      const { value: [status] } = await rpc.getSignatureStatuses([signature]).send()
      if (status?.confirmationStatus === "confirmed" || status?.confirmationStatus === "finalized") {
        if (status.err !== null) throw new Error(`the deposit failed: ${JSON.stringify(status.err)}`)
        return {
          signature,
          fee: (await rpc.getTransaction(signature, { encoding: "base64", maxSupportedTransactionVersion: 1 }).send())
            ?.meta?.fee ?? 0n
        }
      }
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
    }
    throw new Error("the deposit was not confirmed")
  })

/**
 * Signs a step, with the fee payer's signature first, sends it, and waits until it is confirmed. Returns its signature.
 */
export const sendSolana = Effect.fnUntraced(function*(url: string, keys: ReadonlyArray<LocalKey>, data: Data) {
  let transaction = yield* unsignedOf(url, data)
  for (
    const key of keys.toSorted((one, other) =>
      Number(other.address === data.feePayer) - Number(one.address === data.feePayer)
    )
  ) transaction = yield* signedBy(key, transaction)
  return yield* sendSigned(url, transaction)
})

const AnyStatus = Schema.Struct({
  status: Schema.String,
  failReason: Schema.String,
  inTxHashes: Schema.Array(Schema.String),
  txHashes: Schema.Array(Schema.String)
})

const statusAt = (url: string, endpoint: string) =>
  Effect.promise(() => fetchOnce(`${url}${endpoint}`).then((response) => response.json())).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(AnyStatus)),
    Effect.orDie
  )

/** The status of a request between any two families. */
export const statusAnywhere = (
  url: string,
  { steps }: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }
) => statusAt(url, `/intents/status?requestId=${steps[0]?.requestId ?? ""}`)

/** Polls a request between any two families until it has ended. */
export const endedAnywhere = (url: string, quoted: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }) =>
  statusAnywhere(url, quoted).pipe(
    Effect.tap(() => Effect.sleep(100)),
    Effect.repeat({ until: ({ status }) => ["success", "refund", "failure"].includes(status) })
  )

const Refunded = Schema.Struct({ refunds: Schema.Array(Schema.Struct({ refunded: Schema.NullOr(Schema.String) })) })

/** What a request's only refund paid, in smallest units. */
export const refundedAnywhere = (
  url: string,
  { steps }: { readonly steps: ReadonlyArray<{ readonly requestId: string }> }
) =>
  Effect.promise(() =>
    fetchOnce(`${url}/intents/status?requestId=${steps[0]?.requestId ?? ""}`).then((said) => said.json())
  )
    .pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Refunded)),
      Effect.map(({ refunds }) => refunds[0]?.refunded),
      Effect.orDie
    )

/** An account's lamports, and the units in its account of a token, at the newest slot. */
export const solanaBalances = (url: string, owner: string, tokenAccount?: Address) =>
  Effect.promise(async () => {
    const rpc = createSolanaRpc(url)
    const { value: lamports } = await rpc.getBalance(address(owner), { commitment: "processed" }).send()
    if (tokenAccount === undefined) return { lamports: BigInt(lamports), tokens: 0n }
    const { value } = await rpc.getAccountInfo(tokenAccount, { commitment: "processed", encoding: "base64" }).send()
    return {
      lamports: BigInt(lamports),
      tokens: value === null ? 0n : Buffer.from(value.data[0], "base64").readBigUInt64LE(64)
    }
  })
