/**
 * Where a chain's explorer shows a transaction, from the `explorerUrl` of the chain's configuration: with `{id}` in it
 * that is the link, and else its family's usual form is added to it.
 *
 * SECURITY: only a web address becomes a link, whatever a configuration says, and the id cannot leave its place in it.
 */
import type { TransactionId } from "./TransactionId.ts"
import type { VmFamily } from "./VmFamily.ts"

/** Etherscan, Solscan and Solana's own, mempool.space, Hyperliquid's own and Hypurrscan; Tronscan; Lighter's own. */
const paths: Readonly<Record<VmFamily, string>> = {
  "ethereum-vm": "/tx/",
  "solana-vm": "/tx/",
  "bitcoin-vm": "/tx/",
  "exchangea-vm": "/tx/",
  "exchangeb-vm": "/logs/",
  "tron-vm": "/#/transaction/"
}

const PLACE = "{id}"

/** Undefined without an explorer. */
export const explorerLink = (
  family: VmFamily,
  explorerUrl: string | undefined,
  id: TransactionId
): string | undefined => {
  if (explorerUrl === undefined || !/^https?:\/\/[^\s"'<>\\]+$/iu.test(explorerUrl)) return undefined
  const template = explorerUrl.includes(PLACE)
    ? explorerUrl
    : `${explorerUrl.replace(/(?:\/|\/#)+$/u, "")}${paths[family]}${PLACE}`
  return template.replaceAll(PLACE, () => encodeURIComponent(id))
}
