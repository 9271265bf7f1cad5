/** Every released migration, in order. Released migrations never change; new ones are appended. */
import type { MigrationRecord } from "../engine/Migrations.ts"
import { migration as transfers } from "./0001-0020/0001_transfers.ts"
import { migration as api } from "./0001-0020/0002_api.ts"
import { migration as money } from "./0001-0020/0003_money.ts"
import { migration as unended } from "./0001-0020/0004_unended.ts"
import { migration as operations } from "./0001-0020/0005_operations.ts"
import { migration as misbehavingChains } from "./0001-0020/0006_misbehaving_chains.ts"
import { migration as unpaid } from "./0001-0020/0007_unpaid.ts"
import { migration as apiKeys } from "./0001-0020/0008_api_keys.ts"
import { migration as sponsorship } from "./0001-0020/0009_sponsorship.ts"
import { migration as keys } from "./0001-0020/0010_keys.ts"
import { migration as appBalance } from "./0001-0020/0011_app_balance.ts"
import { migration as webhooks } from "./0001-0020/0012_webhooks.ts"
import { migration as payoutRounds } from "./0001-0020/0013_payout_rounds.ts"
import { migration as debts } from "./0001-0020/0014_debts.ts"
import { migration as depositAddresses } from "./0001-0020/0015_deposit_addresses.ts"
import { migration as settlements } from "./0001-0020/0016_settlements.ts"
import { migration as following } from "./0001-0020/0017_following.ts"
import { migration as unattestedRefunds } from "./0001-0020/0018_unattested_refunds.ts"
import { migration as permits } from "./0001-0020/0019_permits.ts"
import { migration as permitBounds } from "./0001-0020/0020_permit_bounds.ts"
import { migration as refundsHeld } from "./0021-0040/0021_refunds_held.ts"
import { migration as inventory } from "./0021-0040/0022_inventory.ts"
import { migration as depositKeys } from "./0021-0040/0023_deposit_keys.ts"
import { migration as nonceMappings } from "./0021-0040/0025_nonce_mappings.ts"
import { migration as addressFactories } from "./0021-0040/0026_address_factories.ts"
import { migration as addressSponsorships } from "./0021-0040/0027_address_sponsorships.ts"
import { migration as callLosses } from "./0021-0040/0028_call_losses.ts"
import { migration as secretsKeys } from "./0021-0040/0030_secrets_keys.ts"
import { migration as calldataTaken } from "./0021-0040/0031_calldata_taken.ts"
import { migration as droppedAddresses } from "./0021-0040/0032_dropped_addresses.ts"
import { migration as depositPrecedence } from "./0021-0040/0033_deposit_precedence.ts"
import { migration as notices } from "./0021-0040/0034_notices.ts"
import { migration as finalCursors } from "./0021-0040/0035_final_cursors.ts"
import { migration as paymentClaims } from "./0021-0040/0036_payment_claims.ts"
import { migration as directPaymentNotices } from "./0041-0060/0041_direct_payment_notices.ts"
import { migration as dashboard } from "./0041-0060/0046_dashboard.ts"
import { migration as growth } from "./0041-0060/0048_growth.ts"
import { migration as deposited } from "./0041-0060/0049_deposited.ts"
import { migration as addressNotices } from "./0041-0060/0050_address_notices.ts"
import { migration as unfinalWork } from "./0041-0060/0051_unfinal_work.ts"
import { migration as requestCounts } from "./0041-0060/0052_request_counts.ts"
import { migration as callLossNotices } from "./0041-0060/0053_call_loss_notices.ts"
import { migration as callRisksInFlight } from "./0041-0060/0054_call_risks_in_flight.ts"

/** All migrations, in order, keyed by their number and name. */
export const migrations: MigrationRecord = {
  "0001_transfers": transfers,
  "0002_api": api,
  "0003_money": money,
  "0004_unended": unended,
  "0005_operations": operations,
  "0006_misbehaving_chains": misbehavingChains,
  "0007_unpaid": unpaid,
  "0008_api_keys": apiKeys,
  "0009_sponsorship": sponsorship,
  "0010_keys": keys,
  "0011_app_balance": appBalance,
  "0012_webhooks": webhooks,
  "0013_payout_rounds": payoutRounds,
  "0014_debts": debts,
  "0015_deposit_addresses": depositAddresses,
  "0016_settlements": settlements,
  "0017_following": following,
  "0018_unattested_refunds": unattestedRefunds,
  "0019_permits": permits,
  "0020_permit_bounds": permitBounds,
  "0021_refunds_held": refundsHeld,
  "0022_inventory": inventory,
  "0023_deposit_keys": depositKeys,
  "0025_nonce_mappings": nonceMappings,
  "0026_address_factories": addressFactories,
  "0027_address_sponsorships": addressSponsorships,
  "0028_call_losses": callLosses,
  "0030_secrets_keys": secretsKeys,
  "0031_calldata_taken": calldataTaken,
  "0032_dropped_addresses": droppedAddresses,
  "0033_deposit_precedence": depositPrecedence,
  "0034_notices": notices,
  "0035_final_cursors": finalCursors,
  "0036_payment_claims": paymentClaims,
  "0041_direct_payment_notices": directPaymentNotices,
  "0046_dashboard": dashboard,
  "0048_growth": growth,
  "0049_deposited": deposited,
  "0050_address_notices": addressNotices,
  "0051_unfinal_work": unfinalWork,
  "0052_request_counts": requestCounts,
  "0053_call_loss_notices": callLossNotices,
  "0054_call_risks_in_flight": callRisksInFlight
}
