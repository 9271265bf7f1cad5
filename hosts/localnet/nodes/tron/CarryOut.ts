/**
 * Signs and sends what a quote's step asks of a Tron wallet, with the unmodified tronweb. Calls go the way of a public
 * wallet adapter: the parameters as they are, `visible: false`, and a fee limit of 30 TRX.
 */
import type { Wallet } from "./node/Wallet.ts"
import type { TronStep } from "../../commands/demo/TransferApi.ts"

const FEE_LIMIT = 30_000_000

/** The id of the transaction, which waits for a block. Rejects with the node's words. */
export const carryOutWith = async (wallet: Wallet, step: TronStep): Promise<string> => {
  const { fullNode, transactionBuilder } = wallet.client
  if (step.type === "TransferContract") {
    const { amount, owner_address, to_address } = step.parameter
    const built = await transactionBuilder.sendTrx(to_address, amount, owner_address)
    return wallet.send(step.memo === undefined ? built : await transactionBuilder.addUpdateData(built, step.memo))
  }
  const asked = { ...step.parameter, visible: false, fee_limit: FEE_LIMIT }
  const { transaction } = await fullNode.request<{ transaction: Parameters<Wallet["send"]>[0] }>(
    "wallet/triggersmartcontract",
    asked,
    "post"
  )
  return wallet.send(transaction)
}
