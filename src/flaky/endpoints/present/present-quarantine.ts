import type * as z from "zod";
import { renderTimestamp } from "../../../api/schema/fields.ts";
import type { QuarantineMode } from "../../quarantine/decide-quarantine.ts";
import type { QuarantineCandidate } from "../../store/quarantines/quarantine-store.ts";
import type { exportedQuarantine, quarantineSettings } from "../schema/quarantine.ts";

type Setting = (typeof quarantineSettings)[number];

export function settingOf(mode: QuarantineMode): Setting {
  return `${mode}_QUARANTINE`;
}

export function modeOf(setting: Setting): QuarantineMode {
  return setting.replace("_QUARANTINE", "") as QuarantineMode;
}

export function presentQuarantine(test: QuarantineCandidate): z.output<typeof exportedQuarantine> {
  const { id, name, parent, file, classname, variant, mode, isQuarantined, ticketUrl } = test;
  const held = isQuarantined ? test.quarantine : null;
  return {
    test_case_id: id,
    ...{ name, parent, file, classname, variant },
    quarantine_setting: settingOf(mode),
    quarantined: isQuarantined,
    quarantined_at: held && renderTimestamp(held.since),
    expires_at: held && renderTimestamp(held.expiresAt),
    owner: held?.owner ?? null,
    reason: held?.reason ?? "",
    ticket_url: ticketUrl,
  };
}
