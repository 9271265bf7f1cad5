/** The initial state of a local Tron chain: money and contracts, put into its EVM before the first block. */
import type { EvmAddress } from "./Account.ts"
import type { Evm } from "./Evm.ts"

export interface Genesis {
  /** Sun. */
  readonly balances: ReadonlyArray<readonly [EvmAddress, bigint]>
  /** Deployments have no `to`. */
  readonly calls: ReadonlyArray<
    {
      readonly what: string
      readonly from: EvmAddress
      readonly to?: EvmAddress
      readonly data: string
      readonly value?: bigint
    }
  >
}

/** Errors: a call that reverts. */
export const apply = async (evm: Evm, { balances, calls }: Genesis, second: number): Promise<void> => {
  for (const [address, sun] of balances) await evm.setBalance(address, sun)
  for (const [index, { what, ...call }] of calls.entries()) {
    const hash = await evm.send(call)
    await evm.mine(second + index)
    const receipt = hash === undefined ? undefined : await evm.receipt(hash)
    if (receipt?.succeeded !== true) throw new Error(`${what} failed`)
  }
}
