/** The unmodified @solana/kit client against a local chain: for tests, which call it like the adapters. */
import type { Address, Instruction, KeyPairSigner, Signature } from "@solana/kit"
import {
  appendTransactionMessageInstructions,
  assertIsFullySignedTransaction,
  assertIsTransactionWithBlockhashLifetime,
  assertIsTransactionWithinSizeLimit,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import type { LocalKey } from "../node/LocalKey.ts"

export const signerOf = (key: LocalKey): Promise<KeyPairSigner> =>
  createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(key.seed))

export interface Building {
  readonly version?: 0 | 1 | "legacy"
  readonly tables?: Readonly<Record<Address, ReadonlyArray<Address>>>
  /** Skips the simulation, which would refuse failing transactions. */
  readonly skipPreflight?: boolean
}

/** What a transaction of version 1 may use, and what it pays for priority. Without limits it may use nothing. */
const LIMITS = { computeUnitLimit: 1_400_000, loadedAccountsDataSizeLimit: 64 * 1024 * 1024, priorityFeeLamports: 7n }

export const connect = ({ url, webSocketUrl }: { readonly url: string; readonly webSocketUrl: string }) => {
  const rpc = createSolanaRpc(url)
  const subscriptions = createSolanaRpcSubscriptions(webSocketUrl)

  /** A signed transaction with the newest blockhash. The instructions name the signers. */
  const build = async (
    payer: KeyPairSigner,
    instructions: ReadonlyArray<Instruction>,
    { tables, version = 0 }: Building = {}
  ) => {
    const { value: latest } = await rpc.getLatestBlockhash({ commitment: "processed" }).send()
    const legacy = pipe(
      createTransactionMessage({ version: "legacy" }),
      (message) => setTransactionMessageFeePayerSigner(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
      (message) => appendTransactionMessageInstructions([...instructions], message)
    )
    const versioned = pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
      (message) => appendTransactionMessageInstructions([...instructions], message),
      (message) =>
        tables === undefined ? message : compressTransactionMessageUsingAddressLookupTables(message, mutable(tables))
    )
    const large = pipe(
      createTransactionMessage({ version: 1 }),
      (message) => setTransactionMessageFeePayerSigner(payer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
      (message) => setTransactionMessageConfig(LIMITS, message),
      (message) => appendTransactionMessageInstructions([...instructions], message)
    )
    const message = version === "legacy" ? legacy : version === 1 ? large : versioned
    const signed = await signTransactionMessageWithSigners(message)
    assertIsFullySignedTransaction(signed)
    assertIsTransactionWithBlockhashLifetime(signed)
    assertIsTransactionWithinSizeLimit(signed)
    return signed
  }

  type Signed = Awaited<ReturnType<typeof build>>

  const sendSigned = (signed: Signed, skipPreflight = false): Promise<Signature> =>
    rpc.sendTransaction(getBase64EncodedWireTransaction(signed), {
      encoding: "base64",
      skipPreflight,
      preflightCommitment: "processed"
    }).send()

  const send = async (
    payer: KeyPairSigner,
    instructions: ReadonlyArray<Instruction>,
    building: Building = {}
  ): Promise<Signature> => sendSigned(await build(payer, instructions, building), building.skipPreflight)

  /** What a transaction did, as soon as it is confirmed. */
  const outcome = async (signature: Signature) => {
    const found = await rpc.getTransaction(signature, {
      encoding: "base64",
      commitment: "confirmed",
      maxSupportedTransactionVersion: 1
    }).send()
    if (found?.meta === undefined || found.meta === null) throw new Error(`no transaction ${signature}`)
    return { ...found, meta: found.meta }
  }
  return { rpc, subscriptions, build, sendSigned, send, outcome, signature: getSignatureFromTransaction }
}

const mutable = (tables: Readonly<Record<Address, ReadonlyArray<Address>>>): Record<Address, Array<Address>> =>
  Object.fromEntries(Object.entries(tables).map(([table, addresses]) => [table, [...addresses]]))
