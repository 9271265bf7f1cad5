/**
 * Whether a transaction runs code of its recipient (REFUND-11). SECURITY: whoever asks for a transfer chooses the
 * recipient, whose code can accept in a trial and revert in the block. It is read from the transaction itself, so that
 * a replacement is judged as the payment was.
 */
import { decodeFunctionData, zeroAddress } from "viem"
import type { Hex, PublicClient } from "viem"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { abi as vaultAbi } from "../contracts/artifacts/Vault.ts"
import { viemHex } from "../rpc/ViemHex.ts"

interface Transaction {
  readonly to: Hex
  readonly value: bigint
  readonly data: Hex
  /** Its own authorizations can give the recipient code before it runs (EIP-7702). */
  readonly authorizationList?: ReadonlyArray<unknown> | undefined
}

/**
 * The recipient that the transaction calls, if it has code: of native currency, or of what calls leave, of which anybody
 * can make some native. Undefined when it calls none.
 */
export const calledRecipient = (
  { vault }: Pick<Chain, "vault">,
  { data, to, value }: Transaction
): Hex | undefined => {
  if (value > 0n) return to
  if (vault === undefined || to.toLowerCase() !== viemHex(vault).toLowerCase()) return undefined
  const { args, functionName } = decodeFunctionData({ abi: vaultAbi, data })
  if (functionName !== "fill") return undefined
  const [, , { calls, payments, recipient }] = args
  return calls.length > 0 || payments.some(({ token }) => token === zeroAddress) ? recipient : undefined
}

export const runsRecipientCode = async (
  client: PublicClient,
  chain: Pick<Chain, "vault">,
  transaction: Transaction
): Promise<boolean> => {
  const address = calledRecipient(chain, transaction)
  if (address === undefined) return false
  return (transaction.authorizationList?.length ?? 0) > 0 || (await client.getCode({ address })) !== undefined
}
