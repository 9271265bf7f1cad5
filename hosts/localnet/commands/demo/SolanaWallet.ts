/**
 * The user's side of a transfer on a Solana chain: kit, a key and a node. Sends the instructions of a step unchanged.
 * Loaded only for transfers that begin or end there.
 */
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signature,
  signTransactionMessageWithSigners
} from "@solana/kit"
import type { Address } from "@solana/kit"
import { base58 } from "@scure/base"
import { Effect } from "effect"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"
import type { SolanaStep } from "./TransferApi.ts"
import type { ChainAccess } from "./Wallet.ts"

const SYSTEM_PROGRAM = "11111111111111111111111111111111"
const AGAIN_MS = 50
/** Longer than a blockhash of the local chain is valid. */
const LOOKS = 1_200

const attempt = <A>({ id }: ChainAccess, what: string, act: () => Promise<A>) =>
  Effect.tryPromise({
    try: act,
    catch: (cause) => new LocalnetError({ message: `${what} on ${id} failed: ${reasonOf(cause)}` })
  })

/** The balance of all the owner's accounts of a token in smallest units, or lamports. */
export const balance = (access: ChainAccess, currency: string, owner: string): Effect.Effect<bigint, LocalnetError> =>
  attempt(access, "reading a balance", async () => {
    const rpc = createSolanaRpc(access.rpcUrl)
    const commitment = "confirmed"
    if (currency === SYSTEM_PROGRAM) return (await rpc.getBalance(address(owner), { commitment }).send()).value
    const { value } = await rpc.getTokenAccountsByOwner(address(owner), { mint: address(currency) }, {
      commitment,
      encoding: "base64"
    }).send()
    return value.reduce((sum, { account }) => sum + Buffer.from(account.data[0], "base64").readBigUInt64LE(64), 0n)
  })

const roleOf = ({ isSigner, isWritable }: SolanaStep["instructions"][number]["keys"][number]): AccountRole => {
  if (isSigner) return isWritable ? AccountRole.WRITABLE_SIGNER : AccountRole.READONLY_SIGNER
  return isWritable ? AccountRole.WRITABLE : AccountRole.READONLY
}

/** Bytes before the first address of a lookup table, and of each address. */
const TABLE_HEADER = 56
const ADDRESS = 32

/** The addresses of each table. */
const tablesAt = async (
  rpc: ReturnType<typeof createSolanaRpc>,
  keys: ReadonlyArray<string>
): Promise<Record<Address, Array<Address>>> => {
  const tables: Record<Address, Array<Address>> = {}
  for (const key of keys) {
    const { value } = await rpc.getAccountInfo(address(key), { encoding: "base64" }).send()
    const data = Buffer.from(value?.data[0] ?? "", "base64").subarray(TABLE_HEADER)
    tables[address(key)] = Array.from(
      { length: Math.floor(data.length / ADDRESS) },
      (_, index) => address(base58.encode(Uint8Array.from(data.subarray(index * ADDRESS, (index + 1) * ADDRESS))))
    )
  }
  return tables
}

/** Signs and sends what a step requests. Returns the signature. */
export const send = Effect.fnUntraced(
  function*(access: ChainAccess, key: string, { addressLookupTableAddresses, feePayer, instructions }: SolanaStep) {
    const signer = yield* attempt(
      access,
      "reading the user's key",
      () => createKeyPairSignerFromBytes(base58.decode(key))
    )
    if (feePayer !== signer.address) {
      return yield* new LocalnetError({ message: `the step asks ${feePayer} to pay, which is somebody else` })
    }
    return yield* attempt(access, "sending the step's transaction", async () => {
      const rpc = createSolanaRpc(access.rpcUrl)
      const tables = await tablesAt(rpc, addressLookupTableAddresses)
      const { value: recent } = await rpc.getLatestBlockhash().send()
      const transaction = await signTransactionMessageWithSigners(pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(signer, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
        (message) =>
          appendTransactionMessageInstructions(
            instructions.map(({ data, keys, programId }) => ({
              programAddress: address(programId),
              accounts: keys.map((each) => ({ address: address(each.pubkey), role: roleOf(each) })),
              data: new Uint8Array(Buffer.from(data, "hex"))
            })),
            message
          ),
        (message) => compressTransactionMessageUsingAddressLookupTables(message, tables)
      ))
      await rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: "base64" }).send()
      return getSignatureFromTransaction(transaction)
    })
  }
)

/** A confirmed transaction: whether it succeeded, and its fee in lamports. */
export const mined = Effect.fnUntraced(function*(access: ChainAccess, id: string) {
  const rpc = createSolanaRpc(access.rpcUrl)
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const found = yield* attempt(
      access,
      `transaction ${id}`,
      () =>
        rpc.getTransaction(signature(id), {
          commitment: "confirmed",
          encoding: "base64",
          maxSupportedTransactionVersion: 0
        }).send()
    )
    if (found !== null && found.meta !== null) {
      return { succeeded: found.meta.err === null, gasCost: BigInt(found.meta.fee) }
    }
    yield* Effect.sleep(AGAIN_MS)
  }
  return yield* new LocalnetError({ message: `transaction ${id} is not on ${access.id}` })
})

/** A new account. Its key is discarded. */
export const newAddress = Effect.promise(async () => String((await generateKeyPairSigner()).address))
