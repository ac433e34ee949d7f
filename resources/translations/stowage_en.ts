<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en">
<context>
    <name>BudgetTerms</name>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n process</numerusform>
            <numerusform>%n processes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChatPresenter</name>
    <message numerus="yes">
        <source>%Ln message(s) deleted</source>
        <translation>
            <numerusform>%Ln message deleted</numerusform>
            <numerusform>%Ln messages deleted</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message numerus="yes">
        <source>%Ln line(s) left out</source>
        <translation>
            <numerusform>%Ln line left out</numerusform>
            <numerusform>%Ln lines left out</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln match</numerusform>
            <numerusform>%Ln matches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MessageList</name>
    <message numerus="yes">
        <source>%Ln earlier message(s) are kept, not shown</source>
        <translation>
            <numerusform>%Ln earlier message is kept, not shown</numerusform>
            <numerusform>%Ln earlier messages are kept, not shown</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Thread</name>
    <message numerus="yes">
        <source>without the %Ln oldest message(s)</source>
        <translation>
            <numerusform>without the %Ln oldest message</numerusform>
            <numerusform>without the %Ln oldest messages</numerusform>
        </translation>
    </message>
</context>
</TS>
