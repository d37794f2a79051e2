export type FileRow = {
  id: string;
  ownerId: string;
  executionId: string;
  hash: string;
  name: string;
  contentType: string;
  size: number;
  createdAt: number;
};

/** A file of an execution that is about to be created. */
export type NewFile = Omit<FileRow, 'ownerId' | 'executionId'>;

export type FileRows = {
  saveFile(file: FileRow): Promise<void>;
  file(ownerId: string, id: string): Promise<FileRow | null>;
  /** Filters the hashes that no row refers to. */
  filterUnreferenced(hashes: readonly string[]): Promise<string[]>;
  /** Whether the content of any file is in a bucket. */
  anyInBucket(): Promise<boolean>;
};
