import type { DoctorSettings } from "../service/doctor/doctor.ts";
import type { Settings } from "../settings/settings.ts";
import type { AppManifest } from "./app-manifest.ts";

/** The expected configuration, with which `doctor` compares the App. */
export function doctorSettings(
  { publicUrl, webhookPath }: Pick<Settings, "publicUrl" | "webhookPath">,
  {
    default_permissions: permissions,
    default_events: events,
  }: Pick<AppManifest, "default_permissions" | "default_events">,
): DoctorSettings {
  return { wanted: { permissions, events }, webhookUrl: publicUrl === null ? null : publicUrl + webhookPath };
}
