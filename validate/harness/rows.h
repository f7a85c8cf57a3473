#pragma once
/* Files of rows: what measure writes, and what it reads of an older one. */
#include <map>
#include <string>
#include <vector>

/* The values by id of a file that measure wrote. False, with a sentence, where it is none. */
bool rows_read(const std::string &path, std::map<std::string, double> *values, std::string *fault);

/* Prints the rows of both that differ by more than `within` percent of the older value, and a line on all. Whether none does. */
bool rows_agree(const std::map<std::string, double> &old, const std::map<std::string, double> &now, double within);

/* A field of a CSV file: in quotes where it must be. */
std::string csv_field(const std::string &text);
