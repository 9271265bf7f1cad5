/** A client of Solana's deposit addresses: requests one, pays there like any wallet, and reads its balance. */
import {
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import type { Instruction, TransactionSigner } from "@solana/kit"
import { base58 } from "@scure/base"
import { getTransferSolInstruction } from "@solana-program/system"
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from "@solana-program/token"
import { Effect, Schema } from "effect"
import type { LocalKey } from "../../localnet/nodes/solana/node/LocalKey.ts"
import { tokenAccount } from "../../localnet/nodes/solana/DepositoryProgram.ts"
import type { Mint } from "../../localnet/nodes/solana/Mints.ts"
import { walletText } from "../../localnet/nodes/solana/SolanaKeys.ts"
import { postQuote } from "./Client.ts"
import { SolanaQuote } from "./SolanaClient.ts"

const Addressed = Schema.Struct({
  steps: Schema.Array(Schema.Struct({ id: Schema.String, depositAddress: Schema.String }))
})

/**
 * A quote with a deposit address on Solana. `body` is a complete request. When the stock is empty, the client retries,
 * as the answer says.
 */
export const solanaAddressFor = Effect.fnUntraced(
  function*(url: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const answer = yield* postQuote(url, { ...body, useDepositAddress: true }, headers)
    if (answer.status !== 200) return yield* Effect.die(new Error(`POST /quote: ${answer.status} ${answer.text}`))
    const quoted = Schema.decodeUnknownSync(SolanaQuote)(answer.json())
    const [step] = Schema.decodeUnknownSync(Addressed)(answer.json()).steps
    const requestId = quoted.steps[0]?.requestId
    return step === undefined || requestId === undefined
      ? yield* Effect.die(new Error("the quote has no step"))
      : { quoted, requestId, depositAddress: step.depositAddress }
  }
)

const sendOwn = async (
  url: string,
  key: LocalKey,
  instructionsOf: (payer: TransactionSigner) => Promise<ReadonlyArray<Instruction>>
): Promise<void> => {
  const rpc = createSolanaRpc(url)
  const payer = await createKeyPairSignerFromBytes(base58.decode(walletText(key)))
  const instructions = await instructionsOf(payer)
  const { value: recent } = await rpc.getLatestBlockhash().send()
  const transaction = await signTransactionMessageWithSigners(pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(payer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(recent, message),
    (message) => appendTransactionMessageInstructions([...instructions], message)
  ))
  await rpc.sendTransaction(getBase64EncodedWireTransaction(transaction), { encoding: "base64" }).send()
  const signature = getSignatureFromTransaction(transaction)
  for (let looks = 0; looks < 500; looks += 1) {
    const { value: [status] } = await rpc.getSignatureStatuses([signature]).send()
    if (status?.confirmationStatus === "confirmed" || status?.confirmationStatus === "finalized") {
      if (status.err !== null) throw new Error(`the transfer failed: ${JSON.stringify(status.err)}`)
      return
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
  }
  throw new Error("the transfer was not confirmed")
}

/**
 * Sends lamports, or tokens after opening the account for them, by a plain transfer from any account, and waits until
 * it is confirmed.
 */
export const paySolana = (url: string, key: LocalKey, to: string, token: Mint | undefined, amount: bigint) =>
  Effect.promise(() =>
    sendOwn(url, key, async (payer) => {
      const owner = address(to)
      if (token === undefined) return [getTransferSolInstruction({ source: payer, destination: owner, amount })]
      const { address: mint, decimals, program: tokenProgram } = token
      const [source, destination] = await Promise.all([
        tokenAccount(key.address, mint, tokenProgram),
        tokenAccount(owner, mint, tokenProgram)
      ])
      return [
        getCreateAssociatedTokenIdempotentInstruction({ payer, ata: destination, owner, mint, tokenProgram }),
        getTransferCheckedInstruction({ source, mint, destination, authority: payer, amount, decimals }, {
          programAddress: tokenProgram
        })
      ]
    })
  )
