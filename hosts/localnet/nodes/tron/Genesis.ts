/**
 * The initial state of a Tron chain of the local network: our contracts at the same 20 bytes as on the EVM chains (with
 * the same deployer and order), and money for all accounts.
 */
import { parseAbi } from "viem"
import { bytecode as usdtCode } from "../../../../adapters/ethereum/contracts/artifacts/TestTronUSDT.ts"
import { encodeFunctionData } from "viem/utils"
import { addressOf, deployer } from "../ethereum/Addresses.ts"
import type { EvmAddress } from "./node/Account.ts"
import type { Genesis } from "./node/Genesis.ts"
import { initCode } from "../ethereum/Contracts.ts"

/**
 * In order of deployment, at the addresses of the EVM chains: the contracts that Tron has a use for. USDT is Tron's own,
 * whose `transfer` returns false.
 */
const contracts = ["TestUSDC", "TestUSDT", "TestWETH", "Depository", "Vault", "Router"] as const

const TRX = 1_000_000n

export const tronFunding = {
  /** Sun, for each account and the solver. */
  native: 1_000_000n * TRX,
  faucet: 1_000_000_000n * TRX,
  /** Units of USDC and USDT, for each of them and the vault. */
  stable: 1_000_000_000_000n
} as const

export interface TronParties {
  readonly faucet: EvmAddress
  readonly solver: EvmAddress
  /** Owns the depository and signs its withdrawals. */
  readonly allocator: EvmAddress
  readonly accounts: ReadonlyArray<EvmAddress>
}

const mintAbi = parseAbi(["function mint(address to, uint256 amount)"])

export const genesis = ({ accounts, allocator, faucet, solver }: TronParties): Genesis => {
  const mint = (token: "TestUSDC" | "TestUSDT", to: EvmAddress) => ({
    what: `minting ${token}`,
    from: deployer,
    to: addressOf(token),
    data: encodeFunctionData({ abi: mintAbi, functionName: "mint", args: [to, tronFunding.stable] })
  })
  const rich = [...accounts, solver, addressOf("Vault")]
  return {
    balances: [
      [faucet, tronFunding.faucet],
      [allocator, tronFunding.native],
      ...[...accounts, solver].map((account) => [account, tronFunding.native] as const)
    ],
    calls: [
      ...contracts.map((contract) => ({
        what: `deployment of ${contract}`,
        from: deployer,
        data: contract === "TestUSDT" ? usdtCode : initCode(contract, { allocator, solver, oracle: allocator })
      })),
      ...rich.flatMap((to) => [mint("TestUSDC", to), mint("TestUSDT", to)])
    ]
  }
}
