/** Methods that send, simulate and price transactions, and the faucet. */
import { base58, base64 } from "@scure/base"
import { getCompiledTransactionMessageDecoder } from "@solana/kit"
import { Schema } from "effect"
import { FailedTransactionMetadata } from "litesvm"
import type { SimulatedTransactionInfo } from "litesvm"
import type { Address } from "@solana/kit"
import type { Chain } from "../Chain.ts"
import { returnDataOf } from "../Execution.ts"
import { faucetTransaction } from "../Faucet.ts"
import { feeOf } from "../Fees.ts"
import { accountInfo } from "./AccountMethods.ts"
import type { Submitted } from "../Submitted.ts"
import { readTransaction, Undecodable } from "../Submitted.ts"
import type { TransactionError } from "../TransactionError.ts"
import { transactionError } from "../TransactionError.ts"
import type { Methods } from "./Methods.ts"
import { addressOf, AddressText, Commitments, Context, contextOf, decode, inContext, optional } from "./Parameters.ts"
import { invalidParams, preflightFailure, RpcError, signatureVerificationFailure } from "./RpcError.ts"

const Encoding = Schema.optionalKey(Schema.Literals(["base64", "base58"]))

/** The largest transaction that the network carries. One of version 1 begins with its number and may be larger. */
const PACKET = 1232
const LARGE_PACKET = 4096
const VERSION_1 = 0x81

const read = (text: string, encoding: "base58" | "base64" | undefined): Submitted => {
  try {
    const bytes = encoding === "base64" ? base64.decode(text) : base58.decode(text)
    const most = bytes[0] === VERSION_1 ? LARGE_PACKET : PACKET
    if (bytes.length > most) {
      throw invalidParams(
        `decoded solana_transaction::versioned::VersionedTransaction too large: ${bytes.length} bytes (max: ${most} bytes)`
      )
    }
    return readTransaction(bytes)
  } catch (cause) {
    if (cause instanceof RpcError) throw cause
    throw invalidParams(cause instanceof Undecodable ? cause.message : `invalid ${encoding ?? "base58"} encoding`)
  }
}

interface Simulation {
  readonly error: TransactionError | null
  readonly result: Readonly<Record<string, unknown>>
}

const nothingRan = (error: TransactionError): Simulation => ({
  error,
  result: {
    err: error,
    logs: [],
    accounts: null,
    unitsConsumed: 0,
    returnData: null,
    innerInstructions: null,
    loadedAccountsDataSize: 0
  }
})

/** The accounts after the simulation. Accounts that it does not touch keep their state. */
const statesOf = (chain: Chain, simulated: SimulatedTransactionInfo, addresses: ReadonlyArray<Address>) => {
  const after = new Map(simulated.postAccounts().map((account) => [account.address, account]))
  return addresses.map((key) => {
    const changed = after.get(key)
    if (changed === undefined) return accountInfo(chain.read(key, "processed"), { encoding: "base64" })
    const { data, executable, lamports, programAddress: owner } = changed
    return accountInfo(lamports === 0n ? undefined : { data: new Uint8Array(data), executable, lamports, owner }, {
      encoding: "base64"
    })
  })
}

/** Runs a transaction without effect. */
const simulate = (
  chain: Chain,
  submitted: Submitted,
  options: {
    readonly verify: boolean
    readonly blockhash: boolean
    readonly shown?: ReadonlyArray<Address> | undefined
  }
): Simulation => {
  const refused = chain.refusal(submitted)
  if (refused !== undefined && (refused !== "BlockhashNotFound" || options.blockhash)) return nothingRan(refused)
  chain.bank.svm.withSigverify(options.verify)
  const simulated = chain.bank.svm.simulateTransaction(submitted.transaction)
  chain.bank.svm.withSigverify(true)
  const error = simulated instanceof FailedTransactionMetadata ? transactionError(simulated.err()) : null
  const metadata = simulated.meta()
  return {
    error,
    result: {
      err: error,
      logs: metadata.logs(),
      accounts: options.shown === undefined || simulated instanceof FailedTransactionMetadata
        ? null
        : statesOf(chain, simulated, options.shown),
      unitsConsumed: metadata.computeUnitsConsumed(),
      returnData: returnDataOf(metadata) ?? null,
      innerInstructions: null,
      loadedAccountsDataSize: 0
    }
  }
}

const Sending = Schema.Tuple([
  Schema.String,
  optional(Schema.Struct({
    encoding: Encoding,
    skipPreflight: Schema.optionalKey(Schema.Boolean),
    preflightCommitment: Schema.optionalKey(Commitments),
    maxRetries: Schema.optionalKey(Schema.Int),
    minContextSlot: Schema.optionalKey(Schema.Int)
  }))
])

/** True when a signature is missing: the virtual machine would not check that. */
const lacksSignature = ({ transaction }: Submitted): boolean => Object.values(transaction.signatures).includes(null)

const sendTransaction = (chain: Chain, params: unknown) => {
  const [text, options] = decode(Sending, params)
  const submitted = read(text, options?.encoding)
  contextOf(chain, {
    commitment: "processed",
    ...(options?.minContextSlot === undefined ? {} : { minContextSlot: options.minContextSlot })
  })
  if (lacksSignature(submitted)) throw signatureVerificationFailure()
  if (options?.skipPreflight !== true) {
    const { error, result } = simulate(chain, submitted, { verify: true, blockhash: true })
    if (error === "SignatureFailure") throw signatureVerificationFailure()
    if (error !== null) throw preflightFailure(error, result)
  }
  const outcome = chain.submit(submitted)
  // A leader silently drops a transaction that cannot be charged. Only a bad signature is reported at once.
  if (outcome._tag === "Dropped" && outcome.error === "SignatureFailure") throw signatureVerificationFailure()
  return submitted.signature
}

/** More accounts than any transaction has. */
const MOST_SHOWN = 256

const Simulating = Schema.Tuple([
  Schema.String,
  optional(Schema.Struct({
    encoding: Encoding,
    commitment: Schema.optionalKey(Commitments),
    sigVerify: Schema.optionalKey(Schema.Boolean),
    replaceRecentBlockhash: Schema.optionalKey(Schema.Boolean),
    minContextSlot: Schema.optionalKey(Schema.Int),
    /** The accounts whose later state is requested. */
    accounts: Schema.optionalKey(
      Schema.Struct({
        encoding: Schema.Literal("base64"),
        addresses: Schema.Array(AddressText).check(Schema.isMaxLength(MOST_SHOWN))
      })
    )
  }))
])

const simulateTransaction = (chain: Chain, params: unknown) => {
  const [text, options] = decode(Simulating, params)
  const { slot } = contextOf(chain, {
    commitment: "processed",
    ...(options?.minContextSlot === undefined ? {} : { minContextSlot: options.minContextSlot })
  })
  const replace = options?.replaceRecentBlockhash === true
  const verify = options?.sigVerify === true
  if (replace && verify) throw invalidParams("sigVerify may not be used with replaceRecentBlockhash")
  const submitted = read(text, options?.encoding)
  if (verify && lacksSignature(submitted)) throw signatureVerificationFailure()
  const { error, result } = simulate(chain, submitted, {
    verify,
    blockhash: !replace,
    shown: options?.accounts?.addresses.map(addressOf)
  })
  if (error === "SignatureFailure") throw signatureVerificationFailure()
  const { hash, height } = chain.ledger.last
  return inContext(slot, {
    ...result,
    ...(replace ? { replacementBlockhash: { blockhash: hash, lastValidBlockHeight: height + 150 } } : {})
  })
}

const getFeeForMessage = (chain: Chain, params: unknown) => {
  const [text, context] = decode(Schema.Tuple([Schema.String, optional(Context)]), params)
  const { slot } = contextOf(chain, context)
  let message
  try {
    message = getCompiledTransactionMessageDecoder().decode(base64.decode(text))
  } catch {
    throw invalidParams("failed to deserialize solana_message::versions::VersionedMessage")
  }
  return inContext(slot, chain.ledger.validBlock(message.lifetimeToken) === undefined ? null : feeOf(message))
}

export const sendMethods = (chain: Chain): Methods => ({
  sendTransaction: (params) => sendTransaction(chain, params),
  simulateTransaction: (params) => simulateTransaction(chain, params),
  getFeeForMessage: (params) => getFeeForMessage(chain, params),
  // There is no competition here: no transaction ever paid for priority.
  getRecentPrioritizationFees: (params) => {
    decode(Schema.Tuple([Schema.optionalKey(Schema.Array(AddressText))]), params)
    return chain.ledger.newestBlocks(150).map(({ slot }) => ({ slot, prioritizationFee: 0 }))
  },
  requestAirdrop: (params) => {
    const [key, amount] = decode(Schema.Tuple([AddressText, Schema.Int, optional(Context)]), params)
    const outcome = chain.submit(faucetTransaction(chain, addressOf(key), BigInt(amount)))
    if (outcome._tag === "Dropped") {
      throw new RpcError(-32603, `airdrop request failed: ${JSON.stringify(outcome.error)}`)
    }
    return outcome.record.signature
  }
})
