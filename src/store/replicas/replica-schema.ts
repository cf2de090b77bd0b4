import type { Generated } from "kysely";

/** The tables of services that share a database. */
export interface ReplicaSchema {
  replicas: ReplicaTable;
  replica_lead: ReplicaLeadTable;
  replica_notes: ReplicaNoteTable;
  request_counts: RequestCountTable;
}

interface ReplicaTable {
  id: string;
  name: string;
  beats: number;
}

interface ReplicaLeadTable {
  place: number;
  holder: string;
  beats: number;
}

interface RequestCountTable {
  second: number;
  key: string;
  used: number;
}

interface ReplicaNoteTable {
  id: Generated<number>;
  sender: string;
  content: string;
}
