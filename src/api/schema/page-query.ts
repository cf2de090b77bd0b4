import * as z from "zod";

/** Selects a page of a list, and its size. */
export const pageQuery = z
  .strictObject({
    page_size: z.int().min(1).max(100).describe("How many tests at most."),
    page_token: z
      .string()
      .max(200)
      .default("")
      .describe(
        "A token of another page of this list, with the same page_size; absent or empty: the first page.",
      ),
  })
  .describe("Which page.");

const token = z.string().describe("Empty where there is no such page.");

/** The paging fields of an answer. */
export const pageAnswer = z.object({
  total_rows: z.int().min(0).describe("Tests in the list as it is now."),
  total_pages: z.int().min(1),
  page_index: z.int().min(0).describe("Where the page stands in the list as it is now, from 0."),
  next_page_token: token,
  prev_page_token: token,
  last_page_token: token,
});
