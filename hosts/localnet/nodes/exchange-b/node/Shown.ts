/** How the public interface of exchange B shows transfers, lists and accounts. */
import { EXECUTED, FAILED, PENDING, REJECTED } from "./State.ts"
import type { Sent, State } from "./State.ts"

export const TRANSFER = 12

/** Entries of one page of a list. */
export const PAGE = 100

/** By index: the symbol, and the decimals of its amounts. */
const assets = [{ asset_id: 1, symbol: "ETH", l1_decimals: 18, decimals: 8 }, {
  asset_id: 3,
  symbol: "USDC",
  l1_decimals: 6,
  decimals: 6
}] as const

/** Sequences and blocks are counted apart, as on the exchange. */
export const sequenceOf = ({ height }: Sent): number => 7_000 + height

export const isExecuted = ({ status }: Sent): boolean => status === EXECUTED || status === 3

/** With the least that may be transferred to another owner. */
export const assetsOf = (state: State) =>
  assets.map((asset) => ({
    ...asset,
    min_transfer_amount: decimal(state.leastTransfer(asset.asset_id), asset.asset_id)
  }))

const decimal = (amount: number, asset: number): string => {
  const decimals = assets.find(({ asset_id }) => asset_id === asset)?.decimals ?? 0
  const digits = `${amount}`.padStart(decimals + 1, "0")
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

export const transactionOf = (sent: Sent) => {
  const { hash, height, info, queuedAt, status, text } = sent
  return {
    code: 200,
    hash,
    type: TRANSFER,
    info: text,
    event_info: "{}",
    status,
    transaction_index: 0,
    l1_address: "",
    account_index: info.FromAccountIndex,
    api_key_index: info.ApiKeyIndex,
    nonce: info.Nonce,
    expire_at: info.ExpiredAt,
    block_height: height,
    queued_at: queuedAt,
    executed_at: queuedAt,
    sequence_index: sequenceOf(sent),
    parent_hash: ""
  }
}

/** As an account's list of transactions shows it: without its memo and signatures. */
export const listedTransaction = (sent: Sent) => {
  const { AssetIndex, Amount, ExpiredAt, FromAccountIndex, Nonce, ToAccountIndex, USDCFee, ApiKeyIndex } = sent.info
  const info = { FromAccountIndex, ApiKeyIndex, ToAccountIndex, AssetIndex, Amount, USDCFee, Nonce, ExpiredAt }
  return { ...transactionOf(sent), info: JSON.stringify(info) }
}

/** As an account's list of transfers shows it, which has no memo and no nonce. */
export const listedTransfer = (account: number, owners: ReadonlyMap<number, string>) => (sent: Sent) => {
  const { info: { Amount, AssetIndex, FromAccountIndex, FromRouteType, ToAccountIndex, ToRouteType, USDCFee } } = sent
  const directed = ToAccountIndex === account ? "L2TransferInflow" : "L2TransferOutflow"
  const route = (type: number) => type === 0 ? "perps" : "spot"
  return {
    id: `${sequenceOf(sent)}`,
    asset_id: AssetIndex,
    amount: decimal(Amount, AssetIndex),
    fee: decimal(USDCFee, 3),
    timestamp: sent.queuedAt,
    type: FromAccountIndex === ToAccountIndex ? "L2SelfTransfer" : directed,
    from_l1_address: owners.get(FromAccountIndex) ?? "",
    to_l1_address: owners.get(ToAccountIndex) ?? "",
    from_account_index: FromAccountIndex,
    to_account_index: ToAccountIndex,
    from_route: route(FromRouteType),
    to_route: route(ToRouteType),
    tx_hash: sent.hash
  }
}

const wordOf: Readonly<Record<number, string>> = {
  [PENDING]: "pending",
  [EXECUTED]: "executed",
  3: "executed",
  [FAILED]: "failed",
  [REJECTED]: "rejected"
}

/** As the explorer shows it. */
export const logOf = ({ hash, info, queuedAt, status }: Sent) => ({
  tx_type: "L2Transfer",
  hash,
  time: new Date(queuedAt).toISOString(),
  pubdata_type: "L2TransferV2",
  status: wordOf[status] ?? "unknown",
  pubdata: {
    l2_transfer_pubdata_v2: {
      from_account_index: `${info.FromAccountIndex}`,
      to_account_index: `${info.ToAccountIndex}`,
      asset_index: `${info.AssetIndex}`,
      amount: `${info.Amount}`
    }
  }
})

/** Balances: USDC on route 0 is the collateral, everything on route 1 is an asset. */
export const accountOf = (state: State, index: number) => {
  const collateral = decimal(state.balance(index, 3, 0), 3)
  return {
    code: 200,
    index,
    account_index: index,
    l1_address: state.owners.get(index) ?? "",
    status: 1,
    account_type: state.kinds.get(index) ?? 0,
    account_trading_mode: state.isUnified(index) ? 1 : 0,
    collateral,
    available_balance: collateral,
    assets: assets.map(({ asset_id, symbol }) => ({
      symbol,
      asset_id,
      balance: decimal(state.balance(index, asset_id, 1), asset_id),
      locked_balance: decimal(0, asset_id)
    }))
  }
}
